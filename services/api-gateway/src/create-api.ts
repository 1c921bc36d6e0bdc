import type { INestApplication } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { NestLogger, Outages, type Seals } from '@penstock/runtime';
import type { Express } from 'express';
import { ApiGatewayModule } from './api-gateway.module';
import type { KeptEvents } from './connections/kept-events';
import { Demo } from './demo/demo';
import { DemoTrail, type DemoTrailParts } from './demo/demo-trail';
import type { ApiGatewayDependencies } from './gateway-dependencies';
import { ApiAdapter } from './http/api.adapter';
import type { BodyShares } from './http/body-shares';
import { ErrorFilter } from './http/error.filter';
import { LIVE_LISTENERS } from './live/live-listeners';
import { LiveTail } from './live/live-tail';
import type { PipelineService } from './pipeline-service/pipeline-service';
import { API_RATE, ApiRates } from './rates/api-rates';
import type { CurrentReplica } from './replica/current-replica';
import { IdempotentRequests } from './retries/idempotent-requests';

export interface Api {
  readonly application: INestApplication;
  readonly express: Express;
  /** To be closed first, so that its streams do not delay a stop. */
  readonly live: LiveTail;
}

/** What the API shares with intake, and its connection to the pipeline service. */
interface ApiParts extends ApiGatewayDependencies {
  readonly current: CurrentReplica;
  readonly shares: BodyShares;
  readonly seals: Seals;
  readonly pipelineService: PipelineService;
}

type MayLack<Parts, Name extends keyof Parts> = Omit<Parts, Name> & {
  readonly [Each in Name]: Parts[Each] | undefined;
};

/** There is a demo when the process names its destination, and where earlier versions of pipelines are read. */
const demoOf = (
  { destination, history, ...parts }: MayLack<DemoTrailParts, 'destination' | 'history'>,
  { PENSTOCK_DEMO: isForAll = false }: ApiGatewayDependencies['config'],
): Demo =>
  new Demo(
    destination === undefined || history === undefined
      ? undefined
      : new DemoTrail({ ...parts, destination, history }),
    isForAll,
  );

/** Creates the API as a Nest application that does not listen. */
export const createApi = async ({
  config,
  secrets,
  connectors,
  warehouses,
  dummyStore,
  health,
  logger,
  log,
  history,
  demoDestination,
  apiRate = API_RATE,
  liveListeners = LIVE_LISTENERS,
  liveCheckMs,
  current,
  shares,
  seals,
  pipelineService,
}: ApiParts): Promise<Api> => {
  const { replica } = current;
  const keptEvents: KeptEvents = {
    of: (connection) => dummyStore.list(connection),
    users: (connection) => dummyStore.userCounts(connection),
  };
  const outages = new Outages(logger);
  const live = new LiveTail({
    log,
    replica,
    seals,
    maxListeners: liveListeners,
    ...(liveCheckMs !== undefined && { checkMs: liveCheckMs }),
    onError: (what, err) => {
      outages.report({ what, err });
    },
  });
  const parts = {
    current,
    shares,
    apiRates: new ApiRates(apiRate),
    requests: new IdempotentRequests(pipelineService, secrets, seals, logger),
    pipelineService,
    connectors,
    warehouses,
    secrets,
    seals,
    keptEvents,
    demo: demoOf({ log, replica, history, keptEvents, destination: demoDestination }, config),
    live,
    health,
    errorFilter: new ErrorFilter(logger),
  };
  const adapter = new ApiAdapter();
  const express = adapter.getInstance<Express>();
  express.disable('x-powered-by').disable('etag').set('query parser', 'simple');
  const application = await NestFactory.create(ApiGatewayModule.of(parts), adapter, {
    logger: new NestLogger(logger),
    bodyParser: false,
    abortOnError: false,
  });
  await application.init();
  return { application, express, live };
};
