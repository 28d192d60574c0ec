"""Extraction of text, title, links and metadata from bytes.

Bytes become text, title, links and what a document says of itself. A pure function: the same bytes always say the same.

    Content ─> sniff ─> reading_of ─┬─ INLINE ─> extract_inline ───────────────────────────────> Extraction
                                    ├─ CHILD ──> encode_task ─(limits: convert)─> decode_result ─> Extraction
                                    └─ NONE ───> unread_status                          └────────> ConversionFault

    html      the hot path; links, head, layout, application and defuse are its parts
    xhtml     XHTML that is sent as XML, on its way to html
    plain     text, Markdown, CSV, JSON;  xml_text  XML
    documents what runs in the limited child: pdf, office, archive (is this ZIP a bomb?), and the above when large
    change    does it say anything new?

Useful for: drawing text and links from any bytes, whoever sent them. Not useful for: deciding what may be followed or
indexed (crawl/link_filter), keeping a hostile converter in bounds (limits).

Invariants

- Opens no connection and no file, reads no clock; bytes in, values out.
- What is inline never raises for what is in a document; `convert` raises for nothing but memory.
- Only printable characters, tabs and newlines leave here: no NUL, no lone surrogate.
- The content decides what a document is; what was declared is a hint.
- Every reader is linear in its input or stops at a stated cap, and says `truncated` when it did.
- Code of others runs behind one broad `except`, in `convert.convert`.
"""
