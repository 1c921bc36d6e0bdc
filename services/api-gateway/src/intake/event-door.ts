import type { IncomingMessage } from 'node:http';
import { type ConfigurationPicture, Refusal, type Suppressions, TOPIC } from '@penstock/contracts';
import type { MessageLog } from '@penstock/messaging';
import { checkCharset } from '../http/charset';
import { checkUtf8, decompress } from './decode-body';
import type { Door } from './doors';
import { ByteReader } from './event/byte-reader';
import { MalformedBody } from './event/malformed-body';
import { readSubmission, type Submission } from './event/read-submission';
import { accepted, allRejected, type IntakeAnswer } from './intake-answer';
import type { IntakeLimits } from './intake-limits';
import type { IntakeMetrics } from './intake-metrics';
import type { PeerAddress } from './peer-address';
import { presentedKey } from './presented-key';
import { readBody } from '../http/read-body';
import { requireAdmission } from '../rates/rate-headers';
import type { TokenBuckets } from '../rates/token-buckets';
import { requestFacts } from './request-facts';
import type { Source } from './source';
import type { Sources } from './sources';
import { takeEvents, type Taken } from './take-events';

export interface EventDoorDependencies {
  readonly log: MessageLog;
  readonly picture: ConfigurationPicture;
  readonly suppressions: Suppressions;
  readonly sources: Sources;
  readonly peerAddress: PeerAddress;
  readonly metrics: IntakeMetrics;
  readonly limits: IntakeLimits;
  /** Absent: organizations may send as many events as they like. */
  readonly rate: TokenBuckets | undefined;
}

type OpenDoor = Extract<Door, { kind: 'events' }>;

/** Takes the events of one request: whole and durable on the log before it is answered. */
export class EventDoor {
  constructor(private readonly dependencies: EventDoorDependencies) {}

  /** @throws Refusal, HttpRefusal, MalformedBody, Invalid, ClientGone */
  async take(request: IncomingMessage, door: OpenDoor, query: string): Promise<IntakeAnswer> {
    const body = await this.bodyOf(request);
    checkCharset(request.headers);
    const key = door.key ?? presentedKey(request, query);
    const known = key === undefined ? undefined : await this.sourceOf(key, body, request);
    const submission = this.read(this.mapped(known, door, body, request, query), door);
    const source = known ?? (await this.sourceOf(submission.writeKey ?? '', body, request));
    const organization = this.organizationOf(source);
    this.checkRate(organization, submission.events.length);
    return this.store(this.wholeEvents(submission, source, request, door), source);
  }

  private async bodyOf(request: IncomingMessage): Promise<Buffer> {
    const { maxBodyBytes } = this.dependencies.limits;
    const raw = await readBody(request, maxBodyBytes);
    const encoding = request.headers['content-encoding'];
    return encoding === undefined ? raw : decompress(raw, encoding, maxBodyBytes);
  }

  private async sourceOf(key: string, body: Buffer, request: IncomingMessage): Promise<Source> {
    const { sources } = this.dependencies;
    const source = sources.find(key) ?? (await sources.require(key));
    if (!source.isGenuine(body, request.headers)) throw new Refusal('Unauthorized');
    return source;
  }

  /** What is posted to a webhook need not be an event: its connector may make one of it. */
  private mapped(
    source: Source | undefined,
    door: OpenDoor,
    body: Buffer,
    { headers }: IncomingMessage,
    query: string,
  ): Buffer {
    if (door.key === undefined) return body;
    const parameters = new Map(new URLSearchParams(query));
    const event = source?.toEvent({ body, headers, query: parameters });
    return event === undefined ? body : Buffer.from(event);
  }

  private read(body: Buffer, { accepts }: OpenDoor): Submission {
    const { maxDepth, maxEvents } = this.dependencies.limits;
    const submission = readSubmission(new ByteReader(checkUtf8(body), maxDepth), maxEvents);
    if (accepts === 'one' && submission.isMany)
      throw new MalformedBody('the body must be one event');
    if (accepts === 'many' && !submission.isMany) throw new MalformedBody('is required', '/batch');
    return submission;
  }

  /** @throws Refusal OrganizationDisabled */
  private organizationOf({ connection }: Source): string {
    const { picture } = this.dependencies;
    const id = picture.workspace(connection.workspace)?.organization ?? '';
    if (picture.organization(id)?.enabled === false) throw new Refusal('OrganizationDisabled');
    return id;
  }

  private checkRate(organization: string, events: number): void {
    const admission = this.dependencies.rate?.take(organization, events, Date.now());
    if (admission !== undefined) requireAdmission(admission);
  }

  private wholeEvents(
    submission: Submission,
    source: Source,
    request: IncomingMessage,
    { type }: OpenDoor,
  ): Taken {
    const { picture, suppressions, limits, peerAddress } = this.dependencies;
    const facts = requestFacts(source, request, peerAddress);
    const { workspace } = source.connection;
    const isSuppressed = (userIds: readonly string[]): boolean =>
      suppressions.includes(workspace, ...userIds);
    const { seen } = picture;
    return takeEvents(submission, { source, request: facts, type, seen, limits, isSuppressed });
  }

  /** Holds only what is needed until the log has answered: a request waits there most of its life. */
  private async store(taken: Taken, source: Source): Promise<IntakeAnswer> {
    const { log, limits } = this.dependencies;
    const { messages, suppressed, rejected, warnings } = taken;
    const timeoutMs = limits.appendTimeoutMs;
    if (messages.length > 0) await log.append(TOPIC.events, messages, { timeoutMs });
    this.count(source, taken);
    const count = messages.length + suppressed;
    return count === 0 && rejected.length > 0
      ? allRejected(rejected)
      : accepted(count, rejected, warnings);
  }

  private count({ connection: { connector } }: Source, taken: Taken): void {
    const counts = this.dependencies.metrics.of(connector);
    counts.accepted += taken.messages.length;
    counts.suppressed += taken.suppressed;
    counts.leftOut += taken.leftOut;
    for (const { code } of taken.rejected) counts[code] += 1;
  }
}
