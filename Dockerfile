# docker build -t secondhop . ; docs/server.md says how to run it
FROM python:3.13-slim AS build
COPY . /src
ENV SECONDHOP_MODEL_DIR=/opt/models
RUN python -m venv /opt/secondhop \
    && /opt/secondhop/bin/pip install --no-cache-dir '/src[server,mcp,postgres,redis,telemetry]' \
    && /opt/secondhop/bin/secondhop models pull \
    && install --directory /memory

FROM python:3.13-slim
COPY --from=build /opt/secondhop /opt/secondhop
COPY --from=build /opt/models /opt/models
COPY --from=build --chown=10001 /memory /memory
ENV PATH=/opt/secondhop/bin:$PATH \
    PYTHONUNBUFFERED=1 \
    HOME=/memory \
    SECONDHOP_STORE=/memory \
    SECONDHOP_MODEL_DIR=/opt/models \
    SECONDHOP_OFFLINE=true
USER 10001
WORKDIR /memory
VOLUME /memory
EXPOSE 8000
HEALTHCHECK --start-period=30s --timeout=5s \
    CMD ["python", "-c", "import urllib.request; urllib.request.urlopen('http://127.0.0.1:8000/readyz')"]
ENTRYPOINT ["secondhop"]
CMD ["serve", "--host", "0.0.0.0"]
