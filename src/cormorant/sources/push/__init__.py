"""Documents that programs push, with text, attributes and readers, in full feeds or one by one.

POST /api/v1/push/SOURCE --batch, item: what was said--> operate/sources/push.py --> items of the store
                                                                                          |
run: discover names what changed since the last one, fetch reads the kept item <---------'
"""
