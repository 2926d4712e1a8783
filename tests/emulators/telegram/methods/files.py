"""Files that the bot sends and fetches."""

from tests.emulators.telegram.call import Call, Upload
from tests.emulators.telegram.errors import refused, wrong
from tests.emulators.telegram.methods.content import caption_of, keyboard_of
from tests.emulators.telegram.methods.places import place_for
from tests.emulators.telegram.methods.sending import deliver
from tests.emulators.telegram.records import Attachment
from tests.emulators.telegram.wire import Json, message_json
from tests.emulators.telegram.world import World

MAX_DOWNLOAD = 20 * 1024 * 1024
MAX_UPLOAD = 50 * 1024 * 1024
MAX_PHOTO_UPLOAD = 10 * 1024 * 1024


def send_document(world: World, call: Call) -> Json:
    """Send a file."""
    call.passed_over("thumbnail", "disable_content_type_detection")
    return _send(world, call, "document")


def send_photo(world: World, call: Call) -> Json:
    """Send a picture."""
    call.passed_over("show_caption_above_media", "has_spoiler")
    return _send(world, call, "photo")


def get_file(world: World, call: Call) -> Json:
    """Return where a file can be fetched."""
    sent = call.text("file_id").removesuffix("-s")
    file = world.files.get(sent)
    if file is None:
        raise wrong("wrong file_id or the file is temporarily unavailable")
    if file.size > MAX_DOWNLOAD:
        raise refused("file is too big")
    return {
        "file_id": file.id,
        "file_unique_id": f"u{file.id}",
        "file_size": file.size,
        "file_path": f"{file.kind}s/{file.id}",
    }


def kept(world: World, kind: str, upload: Upload, size: int = 0, duration: int = 0) -> Attachment:
    """Keep a file and return it; `size` is for files that only pretend to be that big."""
    number = f"F{next(world.numbers):06}"
    real = size or len(upload.content)
    file = Attachment(kind, number, upload.name, upload.content, real, upload.mime_type, duration)
    world.files[number] = file
    return file


def _send(world: World, call: Call, kind: str) -> Json:
    place = place_for(world, call, f"{kind}s")
    text, entities = caption_of(call)
    keyboard, markup = keyboard_of(call)
    file = _file(world, call, kind)
    return message_json(deliver(world, call, place, text, entities, keyboard, markup, file))


def _file(world: World, call: Call, kind: str) -> Attachment:
    reference = call.text(kind)
    name = reference.removeprefix("attach://") if reference.startswith("attach://") else kind
    upload = call.files.get(name)
    if upload is None:
        known = world.files.get(reference)
        if known is None:
            raise wrong(f"there is no {kind} in the request")
        return known
    if not upload.content:
        raise wrong("file must be non-empty")
    if kind == "photo" and len(upload.content) > MAX_PHOTO_UPLOAD:
        raise wrong("file is too big for a photo")
    return kept(world, kind, upload)


METHODS = {"sendDocument": send_document, "sendPhoto": send_photo, "getFile": get_file}
