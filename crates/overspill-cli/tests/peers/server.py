"""An MCP server over HTTPS, with a certificate of its own authority.

Arguments: the file for the authority's certificate. Prints its address on stdout.
"""

import datetime
import ipaddress
import socket
import sys
import tempfile

import uvicorn
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID
from mcp.server import MCPServer

server = MCPServer("by-https")


@server.tool()
def lines(count: int) -> str:
    """Returns `count` lines."""
    return "\n".join(f"line {n}" for n in range(1, count + 1))


def certificate(name, key, issuer, issuer_key, extensions):
    now = datetime.datetime.now(datetime.timezone.utc)
    named = lambda name: x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
    builder = x509.CertificateBuilder().subject_name(named(name)).issuer_name(named(issuer))
    builder = builder.public_key(key.public_key()).serial_number(x509.random_serial_number())
    builder = builder.not_valid_before(now - datetime.timedelta(hours=1))
    builder = builder.not_valid_after(now + datetime.timedelta(days=1))
    for extension, critical in extensions:
        builder = builder.add_extension(extension, critical)
    made = builder.sign(issuer_key, hashes.SHA256())
    return made.public_bytes(serialization.Encoding.PEM)


def main():
    authority, own = ec.generate_private_key(ec.SECP256R1()), ec.generate_private_key(ec.SECP256R1())
    is_authority = (x509.BasicConstraints(ca=True, path_length=None), True)
    with open(sys.argv[1], "wb") as file:
        file.write(certificate("authority", authority, "authority", authority, [is_authority]))
    names = [x509.DNSName("localhost"), x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]
    names = [(x509.SubjectAlternativeName(names), False)]
    with tempfile.NamedTemporaryFile(suffix=".pem") as file:
        file.write(
            own.private_bytes(
                serialization.Encoding.PEM,
                serialization.PrivateFormat.PKCS8,
                serialization.NoEncryption(),
            )
        )
        file.write(certificate("localhost", own, "authority", authority, names))
        file.flush()
        listener = socket.create_server(("127.0.0.1", 0))
        config = uvicorn.Config(server.streamable_http_app(), ssl_certfile=file.name, log_level="error")
        config.load()
    print(f"https://localhost:{listener.getsockname()[1]}/mcp", flush=True)
    uvicorn.Server(config).run(sockets=[listener])


main()
