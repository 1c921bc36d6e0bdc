import {
  bodyDigest,
  type ConnectionId,
  type Integrations,
  orderKey,
  type WorkspaceId,
  writeAcceptedEvent,
} from '@penstock/contracts';
import type { RecordValue } from '@penstock/schema';
import { CONNECTOR, NAMES, type SimulatedConfiguration } from './configuration.fixture';
import type { SimulatedLog } from './log.fixture';
import { BEGINNING_MS } from './process-clock.fixture';
import type { Simulation } from './simulation.fixture';

/** An event that a user sends. */
export interface Sent {
  readonly source: ConnectionId;
  readonly user: string;
  readonly name: string;
  readonly messageId: string;
  readonly integrations: Integrations | null;
  readonly body: string;
}

/** An event that a gateway has accepted. */
export interface Accepted extends Sent {
  /** Its index among all accepted events. */
  readonly number: number;
  readonly workspace: WorkspaceId;
  readonly partition: number;
  readonly offset: number;
  readonly key: string;
  readonly digest: string;
  /** Its stamp. */
  readonly seen: number;
  /** Milliseconds of the simulation. */
  readonly atMs: number;
  /** The value of its log record. */
  readonly value: string;
}

/** A record that is not a valid event. */
export interface Stranger {
  readonly partition: number;
  readonly offset: number;
  readonly value: string | null;
  /** Its head is valid: it is parsed, and stored as unreadable, only when a lane needs it. */
  readonly namesSource?: true;
}

const textOf = (ms: number): string => new Date(BEGINNING_MS + ms).toISOString();

/** {@link Accepted.number} of an event, which `sentAt` encodes, as a repeated message has a new one. */
export const numberIn = (event: RecordValue): number =>
  Date.parse(event['sentAt'] as string) - BEGINNING_MS;

/** Users whose events are spread over few partitions. */
export const USERS = ['user1', 'user2', 'user3', 'user4', 'user5'];

const MISFIT_DIGEST = 'a'.repeat(16);

/** Appends events to the log, stamped with the newest configuration. */
export class SimulatedGateway {
  readonly accepted: Accepted[] = [];
  readonly strangers: Stranger[] = [];

  constructor(
    private readonly simulation: Simulation,
    private readonly log: SimulatedLog,
    private readonly configuration: SimulatedConfiguration,
  ) {}

  accept(sent: Sent): void {
    const { configuration, simulation } = this;
    const { source, user, messageId, integrations } = sent;
    const { workspace } = configuration.connection(source);
    const seen = configuration.position;
    const { digest, eventText } = this.write(sent);
    const head = { workspace, source, messageId, seen, integrations, digest };
    const value = writeAcceptedEvent({ ...head, eventText });
    const key = orderKey(source, user);
    const { partition, offset } = this.log.append(this.partitionOf(key), key, value);
    const atMs = simulation.nowMs;
    const number = this.accepted.length;
    this.accepted.push({ ...sent, ...head, number, partition, offset, key, atMs, value });
  }

  /** Accepts one event of each name from each source. */
  acceptFromAll(prefix: string): void {
    for (const source of this.configuration.sources)
      for (const name of NAMES) {
        const user = this.simulation.pick(USERS);
        const messageId = `${prefix}-${source}-${name}`;
        this.accept({ source, user, name, messageId, integrations: null, body: '' });
      }
  }

  /** Accepts the same message again. @param differs whether it has another body. */
  repeat(before: Accepted, differs: boolean): void {
    const { source, user, name, messageId, integrations } = before;
    const body = differs ? 'other' : before.body;
    this.accept({ source, user, name, messageId, integrations, body });
  }

  /** Appends a record that no gateway of this version writes. */
  append(value: string | null): void {
    const partition = this.simulation.between(0, this.log.partitions.length - 1);
    const { offset } = this.log.append(partition, 'strange', value);
    this.strangers.push({ partition, offset, value });
  }

  /** Appends a record with a valid head and an invalid event. */
  appendMisfit(messageId: string): void {
    const { configuration, simulation } = this;
    const source = simulation.pick(configuration.sources);
    const { workspace } = configuration.connection(source);
    const head = { workspace, source, messageId, seen: configuration.position, integrations: null };
    const value = writeAcceptedEvent({ ...head, digest: MISFIT_DIGEST, eventText: '{"type":7}' });
    const key = orderKey(source, simulation.pick(USERS));
    const { partition, offset } = this.log.append(this.partitionOf(key), key, value);
    this.strangers.push({ partition, offset, value, namesSource: true });
  }

  /** A random value of `integrations`. */
  integrations(): Integrations {
    const { simulation, configuration } = this;
    const lane = simulation.pick(configuration.lanes);
    return simulation.pick<Integrations>([
      { All: false },
      { [lane]: false },
      { [CONNECTOR]: false, [lane]: true },
      { All: false, [lane]: true },
    ]);
  }

  private partitionOf(key: string): number {
    const sum = Buffer.from(key).reduce((before, each) => before + each, 0);
    return sum % this.log.partitions.length;
  }

  private write({ source, user, name, messageId, body }: Sent): {
    digest: string;
    eventText: string;
  } {
    const time = textOf(this.simulation.nowMs);
    const number = textOf(this.accepted.length);
    const before =
      `{"connectionId":"${source}","anonymousId":"${user}","event":"${name}",` +
      `"messageId":"${messageId}","properties":{"body":"${body}"},`;
    const times =
      `"receivedAt":"${time}","sentAt":"${number}","originalTimestamp":"${time}",` +
      `"timestamp":"${time}",`;
    const after = `"traits":{},"type":"track","userId":"${user}"}`;
    return { digest: bodyDigest(before, after), eventText: before + times + after };
  }
}
