# One image for all services. It contains what `npm run image:layout` lays out and nothing else, and runs it as a user
# who owns nothing; the file system may be read-only. The argument says what is started:
# `docker run penstock api-gateway`; without one, a list is printed.
FROM node:20-slim AS build
WORKDIR /build
COPY . .
RUN npm run image:layout -- /penstock

FROM node:20-slim
COPY --from=build /penstock /penstock
WORKDIR /penstock
USER 10001:10001
ENV NODE_ENV=production PENSTOCK_HOST=0.0.0.0 PENSTOCK_OPS_HOST=0.0.0.0
EXPOSE 8080 9090
ENTRYPOINT ["/penstock/penstock"]
CMD ["help"]
