"""The loop of a retriever: take a URL of a leased host, visit it, hand the result to the committer.

Start with `loop`.
"""
