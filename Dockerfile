# gauntlet with what it starts servers with: Node and npm, Python and pip. The sandbox needs user namespaces, which
# Docker's default seccomp profile denies: docs/probing.md names the options.
FROM golang:1.26-bookworm AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
RUN CGO_ENABLED=0 go build -trimpath -ldflags="-s -w" -o /gauntlet ./cmd/gauntlet

FROM node:22-bookworm-slim
RUN apt-get update \
 && apt-get install --yes --no-install-recommends ca-certificates git python3 python3-pip python3-venv \
 && rm -rf /var/lib/apt/lists/*
COPY --from=build /gauntlet /usr/local/bin/gauntlet
WORKDIR /work
RUN chown node:node /work
USER node
ENTRYPOINT ["gauntlet"]
