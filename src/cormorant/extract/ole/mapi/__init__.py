"""Messages of Outlook: properties in the manner of MAPI ([MS-OXPROPS]), wherever they are kept.

property_bag       properties of a message, a recipient, an attachment
message            headers, body and names of attachments as text
compressed_rtf     the compression of bodies in RTF
encapsulated_html  pages of HTML that were wrapped in RTF
"""
