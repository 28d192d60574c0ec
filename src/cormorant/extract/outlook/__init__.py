"""Messages of Outlook: properties in the manner of MAPI ([MS-OXPROPS]), wherever they are kept.

attachments        the files that are attached
msg                messages that are OLE files ([MS-OXMSG])
tnef               messages in winmail.dat ([MS-OXTNEF])
property_bag       properties of a message, a recipient, an attachment
message            headers, body and names of attachments as text
compressed_rtf     the compression of bodies in RTF
encapsulated_html  pages of HTML that were wrapped in RTF
"""
