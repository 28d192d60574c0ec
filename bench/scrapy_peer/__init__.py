"""What is the peer, and how is it set up?

Scrapy with the settings its documentation gives for broad crawls (:mod:`bench.scrapy_peer.settings`) and a spider that
does what a search crawler has to do with a page (:mod:`bench.scrapy_peer.spider`).
"""
