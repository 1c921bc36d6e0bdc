import { randomBytes } from 'node:crypto';
import type { RequestListener } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { ConfigurationReplica } from '@penstock/contracts';
import { LogClient } from '@penstock/messaging';
import { ConfigurationReader, RefusedEventsLog } from '@penstock/platform';
import { currentTrace, Outages, Seals } from '@penstock/runtime';
import { createApi } from './create-api';
import type { ApiGatewayDependencies } from './gateway-dependencies';
import { ApiMetrics } from './http/api-metrics';
import { API_BYTES, BodyShares } from './http/body-shares';
import { Routes } from './http/routes';
import { type RunningServer, serve } from './http/serve';
import { tracedListener } from './http/traced-listener';
import { createIntake } from './intake/create-intake';
import { INTAKE_LIMITS } from './intake/intake-limits';
import { intakePatternAt } from './intake/intake-routes';
import { Locations } from './intake/location/locations';
import { LogPipelineService } from './pipeline-service/log-pipeline-service';
import { CurrentReplica } from './replica/current-replica';
import { requestListener } from './request-listener';

export interface RunningGateway {
  /** `http://host:port` */
  readonly address: string;
  /**
   * Goes on accepting requests for the configured time, with `Connection: close` in the answers; then answers those
   * under way and stops reading the log.
   */
  close(): Promise<void>;
}

const sharesOf = ({
  limits,
  apiBodyBytes: apiBytes = API_BYTES,
  registry,
}: ApiGatewayDependencies): BodyShares => {
  const { maxTotalBytes, maxKeylessBytes } = { ...INTAKE_LIMITS, ...limits };
  return new BodyShares(
    { keyedBytes: maxTotalBytes, keylessBytes: maxKeylessBytes, apiBytes },
    registry,
  );
};

/**
 * Ends the server when load balancers have had the time to notice that the process is not ready. Of the time that
 * remains for the shutdown, requests under way get one half, and everything behind them the other.
 */
const drained = async (
  server: RunningServer,
  {
    config,
    logger,
    drainWait = sleep,
  }: Pick<ApiGatewayDependencies, 'config' | 'drainWait' | 'logger'>,
): Promise<void> => {
  const { PENSTOCK_DRAIN_SECONDS: drainSeconds = 0, PENSTOCK_SHUTDOWN_SECONDS: allSeconds = 20 } =
    config;
  server.drain();
  if (drainSeconds > 0) {
    logger.info({ drainSeconds }, 'requests are still accepted');
    await drainWait(drainSeconds * 1_000);
  }
  const cutOff = await server.close(((allSeconds - drainSeconds) * 1_000) / 2);
  if (cutOff > 0)
    logger.warn(
      { connections: cutOff },
      'requests under way were cut off, as they took longer than half of PENSTOCK_SHUTDOWN_SECONDS less the drain: set it higher if this is common',
    );
};

const REFUSED_FAULT = 'refused events cannot be recorded on the log; they are counted';

/** The same listener where telemetry is off. */
const traced = (
  listener: RequestListener,
  routes: Routes,
  { tracing }: Pick<ApiGatewayDependencies, 'tracing'>,
): RequestListener => {
  if (tracing === undefined) return listener;
  const routeOf = (url: string): string | undefined =>
    intakePatternAt(url.split('?', 1)[0] ?? '') ?? routes.at(url)?.name;
  return tracedListener(tracing, routeOf, listener);
};

/**
 * Starts the gateway. Resolves when requests are accepted; `readyz` reports when the configuration has been read.
 *
 * @throws ConfigurationError when the configured database of locations cannot be used.
 */
export const createApiGateway = async (
  dependencies: ApiGatewayDependencies,
): Promise<RunningGateway> => {
  const { config, log, secrets, health, logger } = dependencies;
  const { PENSTOCK_GEOIP: geoip, PENSTOCK_TRUSTED_PROXIES: trustedProxies } = config;
  const locations = geoip === undefined ? undefined : await Locations.open(geoip, logger);
  const replica = new ConfigurationReplica({ isCompressed: true });
  const outages = new Outages(logger);
  const feed = new ConfigurationReader(log, replica, (err) => {
    outages.report({ what: err.message, err });
  });
  const current = new CurrentReplica(replica, feed);
  const shares = sharesOf(dependencies);
  const seals = new Seals(secrets, (workspace) => replica.dataKey(workspace));
  const client = new LogClient({ log, traceparent: currentTrace });
  const pipelineService =
    dependencies.pipelineService ?? new LogPipelineService(client, replica, seals);
  const refusedEvents = new RefusedEventsLog({
    log,
    seal: (...text) => seals.seal(...text),
    keyedHash: (text) => secrets.keyedHash(text),
    onError: (err) => {
      outages.report({ what: REFUSED_FAULT, err });
    },
  });
  const api = await createApi({ ...dependencies, current, shares, seals, pipelineService });
  const gateway = randomBytes(6).toString('base64url');
  logger.info({ gateway }, 'traces of events that this process accepts name it so');
  const intake = createIntake({
    ...dependencies,
    gateway,
    current,
    shares,
    seals,
    refusedEvents,
    trustedProxies,
    locations,
  });
  const removeCheck = health.addCheck('configuration', () => feed.ready());
  await client.connect();
  await feed.start();
  const routes = new Routes(api.express.router);
  const requests = new ApiMetrics(dependencies.registry);
  const listener = traced(
    requestListener(intake, api.express as RequestListener, routes, requests),
    routes,
    dependencies,
  );
  const server = await serve(listener, config.PENSTOCK_PORT, config.PENSTOCK_HOST);
  return {
    address: server.address,
    close: async () => {
      await Promise.all([api.live.close(), drained(server, dependencies)]);
      removeCheck();
      await refusedEvents.close();
      await api.application.close();
      await client.close();
      await feed.stop();
    },
  };
};
