class TruncationUIExtra(BaseModel):
    saved_file_path: str
    original_length: int
    truncated_length: int
