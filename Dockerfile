# hindcast in a container, from a checkout:
#   docker build --tag hindcast .
#   docker run --rm --publish 127.0.0.1:8200:8200 --env HINDCAST_ADMIN_SECRET hindcast
# Words behind the image's name take the place of CMD: `docker run hindcast serve --host 0.0.0.0 --secrets 8200 --clusters east,west`.

# A Node that the verification (.ci/run) runs the tests on.
ARG NODE=24.21.0

FROM node:${NODE}-slim AS build
WORKDIR /checkout
# By itself, so that a change of the sources downloads nothing again. No package needs its scripts for a build.
COPY package.json package-lock.json .npmrc ./
RUN npm ci --ignore-scripts
COPY tsconfig.json tsconfig.build.json vite.config.ts LICENSE README.md ./
COPY src src
COPY machines machines
COPY scenarios scenarios
# What is packed, with what it depends on in the versions of the lock: a package has no lock of its own.
RUN npm pack --pack-destination /tmp \
  && mkdir /packed \
  && tar --extract --gzip --file /tmp/hindcast-*.tgz --directory /packed --strip-components 1 \
  && cp package-lock.json .npmrc /packed \
  && npm ci --prefix /packed --ignore-scripts --omit=dev --omit=optional --omit=peer \
  && rm /packed/package-lock.json /packed/.npmrc

FROM node:${NODE}-slim
COPY --from=build /packed /opt/hindcast
# Where --log, --log-dir and --load find their files.
RUN install --directory --owner=node --group=node /var/lib/hindcast
WORKDIR /var/lib/hindcast
USER node
# Further clusters have the ports behind 8200, further regions those behind 4646.
EXPOSE 8200 4646 8080
# Without a shell or npx between: SIGTERM reaches Node, which then writes what is left of its logs. HINDCAST_ADMIN_SECRET is no part of an
# image: whoever runs it gives it, or reads the one that is drawn from the first lines that it prints.
ENTRYPOINT ["node", "/opt/hindcast/dist/src/node/cli.js"]
# All that is not of this container is outside, so that the admin path has to be public; it asks for the secret.
CMD ["serve", "--host", "0.0.0.0", "--secrets", "8200", "--scheduler", "4646", "--runs", "8080", "--vocabulary", "hashicorp", "--start", "now", "--follow-clock", "1", "--admin-public"]
