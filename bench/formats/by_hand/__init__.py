"""Which documents are written byte by byte here? PDF, mail, Outlook messages, binary workbooks, archives, RTF."""
