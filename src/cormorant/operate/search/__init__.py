"""Search for readers, and its reports and ranking weights for administrators."""
