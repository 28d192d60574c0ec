"""Commands that crawl: sources, runs, schedules, hosts, receivers."""
