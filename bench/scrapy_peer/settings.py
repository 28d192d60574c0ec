"""The peer's settings: Scrapy's own advice for broad crawls, then what the comparison needs.

The first block follows the page "Broad Crawls" of Scrapy's documentation, heading by heading. One piece of advice is
not taken: redirects are followed, because a search crawler has to, and here they are few. "Enable crawling of Ajax
Crawlable Pages" is gone from Scrapy, and "Setup your own DNS" has nothing to do here.
"""

BOT_NAME = "peer"
SPIDER_MODULES = ["bench.scrapy_peer"]

# "Use the right SCHEDULER_PRIORITY_QUEUE" (the default since Scrapy 2.13, said for older ones)
SCHEDULER_PRIORITY_QUEUE = "scrapy.pqueues.DownloaderAwarePriorityQueue"
# "Increase concurrency"
CONCURRENT_REQUESTS = 100
# "Increase Twisted IO thread pool maximum size"
REACTOR_THREADPOOL_MAXSIZE = 20
# "Reduce log level"
LOG_LEVEL = "INFO"
# "Disable cookies"
COOKIES_ENABLED = False
# "Disable retries"
RETRY_ENABLED = False
# "Reduce download timeout"
DOWNLOAD_TIMEOUT = 15
# "Crawl in BFO order"
DEPTH_PRIORITY = 1
SCHEDULER_DISK_QUEUE = "scrapy.squeues.PickleFifoDiskQueue"
SCHEDULER_MEMORY_QUEUE = "scrapy.squeues.FifoMemoryQueue"

# The comparison needs no delay, and robots.txt obeyed.
DOWNLOAD_DELAY = 0
ROBOTSTXT_OBEY = True
# Extensions that would only cost the peer time here.
TELNETCONSOLE_ENABLED = False

# The recrawl switches HTTPCACHE_ENABLED on from the command line.
HTTPCACHE_POLICY = "scrapy.extensions.httpcache.RFC2616Policy"
HTTPCACHE_STORAGE = "scrapy.extensions.httpcache.FilesystemCacheStorage"
