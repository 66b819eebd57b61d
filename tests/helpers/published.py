"""Recorded play in the JSON of the published code, which it wrote and we read."""

import json


def exchanges(recording):
    """What the published code would have written of these episodes."""
    return {
        f"exchange_{i}": {
            "sequence": [[int(k)] for k in recording.sequence[i]],
            "cut_inputs": recording.window[i].tolist(),
            "tds": recording.candidates[i].tolist(),
            "message": recording.message[i].tolist(),
            "guess": int(recording.choice[i]),
            "target": [int(recording.candidates[i, recording.target_index[i]])],
            "target_id": [int(recording.target_index[i])],
        }
        for i in range(len(recording))
    }


def export_interactions(recording, path):
    path.write_text(json.dumps(exchanges(recording), indent=3))
    return len(recording)
