"""The networks of a pair as ONNX graphs, and the sessions that run them. Nothing here loads torch."""
