import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { once } from 'node:events';
import {
  type ConfigurationState,
  ConfigurationReplica,
  readAcceptedEvent,
  TOPIC,
} from '@penstock/contracts';
import { RefusedEventsLog } from '@penstock/platform';
import { createLogger } from '@penstock/runtime';
import { Registry } from 'prom-client';
import { BodyShares } from '../http/body-shares';
import { createIntake, type IntakeOptions } from '../intake/create-intake';
import { INTAKE_LIMITS } from '../intake/intake-limits';
import { CurrentReplica } from '../replica/current-replica';
import {
  connectors,
  messagesOf,
  organization,
  seals,
  secrets,
  workspace,
} from './installation.fixture';
import { MemoryLog } from './memory-log.fixture';

/**
 * Intake behind a real server, over a log in memory without configuration topics: states are applied to the replica
 * directly.
 */
export class IntakeStand {
  readonly log = new MemoryLog();
  readonly replica = new ConfigurationReplica();
  readonly registry = new Registry();
  readonly shares: BodyShares;
  private readonly refusedEvents = new RefusedEventsLog({
    log: this.log,
    seal: (...text) => seals.seal(...text),
    keyedHash: (text) => secrets.keyedHash(text),
    onError: () => undefined,
  });
  private position = 0;
  private server: Server | undefined;

  constructor(private readonly options: Partial<IntakeOptions> = {}) {
    const { maxTotalBytes, maxKeylessBytes } = { ...INTAKE_LIMITS, ...options.limits };
    this.shares = new BodyShares(
      { keyedBytes: maxTotalBytes, keylessBytes: maxKeylessBytes, apiBytes: 0 },
      this.registry,
    );
    this.configure(organization(), workspace());
  }

  configure(...states: ConfigurationState[]): void {
    for (const state of states) {
      this.position += 1;
      for (const message of messagesOf(this.position, state)) this.replica.take(message);
    }
  }

  async start(): Promise<void> {
    const intake = createIntake({
      gateway: 'gateway-1',
      log: this.log,
      current: new CurrentReplica(this.replica, { end: 0, catchUp: () => Promise.resolve(true) }),
      shares: this.shares,
      connectors,
      secrets,
      seals,
      refusedEvents: this.refusedEvents,
      registry: this.registry,
      logger: createLogger({ service: 'spec', LOG_LEVEL: 'silent', LOG_FORMAT: 'json' }),
      ...this.options,
    });
    this.server = createServer((request, response) => {
      if (!intake.handle(request, response)) response.writeHead(404).end('not of intake');
    });
    this.server.listen(0, '127.0.0.1');
    await once(this.server, 'listening');
  }

  get port(): number {
    return (this.server?.address() as AddressInfo).port;
  }

  url(path: string): string {
    return `http://127.0.0.1:${String(this.port)}${path}`;
  }

  /** The texts of the events on the log, oldest first. */
  eventTexts(): string[] {
    return this.log
      .recordsOf(TOPIC.events)
      .map(({ value }) => readAcceptedEvent(value ?? '').eventText);
  }

  async stop(): Promise<void> {
    await this.refusedEvents.close();
    this.server?.closeAllConnections();
    await new Promise((resolve) => this.server?.close(resolve) ?? resolve(undefined));
  }
}
