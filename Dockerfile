# One image for all services; the command says which one runs.
FROM node:20-slim AS build
WORKDIR /penstock
COPY . .
ENV SCARF_ANALYTICS=false NX_DAEMON=false
RUN npm ci --ignore-scripts --no-audit --no-fund && npm run build && npm prune --omit=dev --ignore-scripts

FROM node:20-slim
WORKDIR /penstock
COPY --from=build --chown=node:node /penstock /penstock
USER node
ENV NODE_ENV=production PENSTOCK_HOST=0.0.0.0 PENSTOCK_OPS_HOST=0.0.0.0
CMD ["node", "--max-semi-space-size=32", "--heap-growing-percent=100", "--v8-pool-size=1", "services/standalone/dist/main.js"]
