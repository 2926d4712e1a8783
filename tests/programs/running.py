"""Runs the programs that open what we make."""

import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

BOUND_S = 90


@dataclass(frozen=True)
class Programs:
    """Programs of this machine, with a folder to work in and the settings of LibreOffice."""

    folder: Path
    office: Path

    def said(self, *command: str | Path) -> str:
        """Return what a program prints; it has to end well."""
        done = subprocess.run(command, cwd=self.folder, capture_output=True, timeout=BOUND_S, check=False)
        text = done.stdout.decode("utf-8", "replace")
        assert done.returncode == 0, text + done.stderr.decode("utf-8", "replace")
        return text

    def file(self, name: str, content: bytes) -> Path:
        """Write a file into the folder."""
        path = self.folder / name
        path.write_bytes(content)
        return path

    def converted(self, file: Path, to: str, suffix: str) -> bytes:
        """Return a file as LibreOffice writes it in another format."""
        out = self.folder / "converted"
        profile = f"-env:UserInstallation={self.office.as_uri()}"
        self.said("soffice", "--headless", profile, "--convert-to", to, "--outdir", out, file)
        return (out / f"{file.stem}.{suffix}").read_bytes()

    def epub_problems(self, file: Path) -> str:
        """Return what EPUBCheck says of a file, "" where it finds nothing."""
        jar = Path(str(shutil.which("epubcheck"))).resolve()
        done = subprocess.run(
            ["java", "-jar", jar, "--failonwarnings", file], capture_output=True, timeout=BOUND_S, check=False
        )
        return "" if done.returncode == 0 else (done.stdout + done.stderr).decode("utf-8", "replace")
