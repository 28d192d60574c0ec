"""Extraction of text, title, links and metadata from bytes.

It is a pure function: the same bytes always give the same result.

    Content ─> sniff ─> reading_of ─┬─ INLINE ─> extract_inline ───────────────────────────────> Extraction
                                    ├─ CHILD ──> encode_task ─(limits: convert)─> decode_result ─> Extraction
                                    └─ NONE ───> unread_status                          └────────> ConversionFault

    html      the hot path; links, head, layout, application and defuse are its parts
    xhtml     XHTML that is sent as XML, on its way to html
    plain     text, Markdown, CSV, JSON;  xml_text  XML
    documents readers in the sandbox: pdf, office, archive (is this ZIP a bomb?), and the above for large documents
    change    does it say anything new?

Useful for: extracting text and links from any bytes, even hostile ones. Not useful for: decisions about following and
indexing (crawl/link_filter), limits of a hostile converter (sandbox).

Invariants

- Opens no connection and no file, reads no clock; bytes in, values out.
- Inline readers never raise for the contents of a document; `convert` raises only for lack of memory.
- Only printable characters, tabs and newlines leave here: no NUL, no lone surrogate.
- The content decides the format of a document; its declared type is a hint.
- Every reader is linear in its input or stops at a stated limit, and then sets `truncated`.
- Third-party code runs behind one broad `except`, in `convert.convert`.
"""
