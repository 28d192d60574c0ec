"""The link graph: out-links, in-links, anchor texts, depth, link score, redirect chains, orphans."""
