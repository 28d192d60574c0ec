"""Readers of Office Open XML documents (ECMA-376): text documents, presentations and spreadsheets."""
