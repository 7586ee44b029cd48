"""The part of curl that the documents use, for machines without it.

`python curl.py [options] ADDRESS`
"""

import argparse
import sys
from http.cookiejar import MozillaCookieJar
from pathlib import Path
from urllib.parse import quote, urljoin

import requests

TIMEOUT = 60


def main() -> int:
    """Send one request, and write the body, or the format of `-w`, to standard output."""
    parser = argparse.ArgumentParser()
    parser.add_argument("address")
    parser.add_argument("-sS", action="store_true", dest="silent")
    parser.add_argument("-u", metavar="USER:PASSWORD", dest="user")
    parser.add_argument("-X", metavar="METHOD", dest="method")
    parser.add_argument("-d", action="append", default=[], dest="data")
    parser.add_argument("--data-urlencode", action="append", default=[], dest="encoded")
    parser.add_argument("-F", metavar="NAME=@FILE", action="append", default=[], dest="files")
    parser.add_argument("-H", action="append", default=[], dest="headers")
    parser.add_argument("-b", metavar="JAR", dest="jar")
    parser.add_argument("-c", metavar="JAR", dest="new_jar")
    parser.add_argument("-o", metavar="FILE", dest="output")
    parser.add_argument("-w", choices=["%{redirect_url}", "%{http_code}"], dest="write")
    parser.add_argument("-sSi", action="store_true", dest="headers_too")
    parser.add_argument("--compressed", action="store_true")
    arguments = parser.parse_args()
    http = requests.Session()
    if not arguments.compressed:
        http.headers["Accept-Encoding"] = "identity"
    if arguments.jar and Path(arguments.jar).stat().st_size:
        kept = MozillaCookieJar(arguments.jar)
        kept.load(ignore_discard=True)
        http.cookies.update(kept)
    data = arguments.data + ["=".join(map(quote, one.split("=", 1))) for one in arguments.encoded]
    files = {name: Path(path) for name, path in (one.split("=@", 1) for one in arguments.files)}
    if data:
        http.headers["Content-Type"] = "application/x-www-form-urlencoded"
    http.headers.update(dict(line.split(": ", 1) for line in arguments.headers))
    answer = http.request(
        arguments.method or ("POST" if data or files else "GET"),
        arguments.address,
        data="&".join(data),
        files={name: (path.name, path.read_bytes()) for name, path in files.items()},
        auth=tuple(arguments.user.split(":", 1)) if arguments.user else None,
        allow_redirects=False,
        timeout=TIMEOUT,
    )
    if arguments.new_jar:
        jar = MozillaCookieJar(arguments.new_jar)
        for cookie in http.cookies:
            jar.set_cookie(cookie)
        jar.save(ignore_discard=True)
    if arguments.headers_too:
        lines = [f"{name}: {value}" for name, value in answer.headers.items()]
        status = f"HTTP/1.1 {answer.status_code} {answer.reason}"
        sys.stdout.write("\r\n".join([status, *lines, "", ""]))
    if arguments.output is None:
        sys.stdout.write(answer.text)
    else:
        Path(arguments.output).write_bytes(answer.content)
    if arguments.write == "%{http_code}":
        sys.stdout.write(str(answer.status_code))
    elif arguments.write and "Location" in answer.headers:
        sys.stdout.write(urljoin(answer.url, answer.headers["Location"]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
