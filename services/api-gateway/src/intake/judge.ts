import type { IncomingMessage } from 'node:http';
import { Refusal, type Suppressions } from '@penstock/contracts';
import { requireAdmission } from '../rates/rate-headers';
import type { TokenBuckets } from '../rates/token-buckets';
import type { CurrentReplica } from '../replica/current-replica';
import type { IntakeLimits } from './intake-limits';
import { intakePatternAt } from './intake-routes';
import { readEvents } from './read-events';
import type { Received } from './received';
import { type AddressLookups, requestFacts } from './request-facts';
import type { Source } from './source';
import type { Sources } from './sources';
import { stampedAnew, takeEvents, type TakenEvents } from './take-events';

export interface JudgeDependencies extends AddressLookups {
  readonly current: CurrentReplica;
  readonly suppressions: Suppressions;
  readonly sources: Sources;
  readonly limits: IntakeLimits;
  /** Identifies this process in traces of events. */
  readonly gateway: string;
  /** Absent: no limit on the events of an organization. */
  readonly rate: TokenBuckets | undefined;
}

/** The result of deciding a request by the configuration of one moment. */
export interface Judged {
  readonly taken: TakenEvents;
  readonly source: Source;
  /** Position of the newest change to suppressions. */
  readonly suppressedFrom: number;
}

/** Decides a request's events by the current state of the replica, synchronously. */
export class Judge {
  constructor(private readonly dependencies: JudgeDependencies) {}

  /**
   * @param before result of an earlier attempt, reused unless the source or suppressions have changed.
   * @throws Refusal, Invalid when it depends on the configuration.
   * @throws HttpRefusal TooManyRequests; only without `before`.
   * @throws MalformedBody
   */
  judge(received: Received, before: Judged | undefined): Judged {
    const { sources, current } = this.dependencies;
    const source = sources.find(received.key);
    if (source === undefined) throw new Refusal('Unauthorized');
    const { suppressedFrom, seen } = current.replica;
    if (before?.source === source && before.suppressedFrom === suppressedFrom) {
      this.organizationOf(source);
      return { ...before, taken: stampedAnew(before.taken, seen) };
    }
    return { taken: this.take(received, source, before === undefined), source, suppressedFrom };
  }

  private take(received: Received, source: Source, isFirst: boolean): TakenEvents {
    const { current, suppressions, limits, gateway } = this.dependencies;
    const { request, route, body } = received;
    if (!source.isGenuine(body, request.headers)) throw new Refusal('Unauthorized');
    const submission = readEvents(mapped(received, source), route, limits);
    const organization = this.organizationOf(source);
    if (isFirst) this.checkRate(organization, submission.events.length);
    const { workspace } = source.connection;
    return takeEvents(submission, {
      source,
      request: requestFacts(source, request, this.dependencies),
      type: route.type,
      seen: current.replica.seen,
      traceparent: received.traceparent,
      acceptedBy: { gateway, route: doorOf(request) },
      limits,
      isSuppressed: (userIds) => suppressions.includes(workspace, ...userIds),
    });
  }

  /** @throws Refusal OrganizationDisabled */
  private organizationOf({ connection }: Source): string {
    const { replica } = this.dependencies.current;
    const id = replica.workspace(connection.workspace)?.organization ?? '';
    if (replica.organization(id)?.enabled === false) throw new Refusal('OrganizationDisabled');
    return id;
  }

  private checkRate(organization: string, events: number): void {
    const admission = this.dependencies.rate?.take(organization, events, Date.now());
    if (admission !== undefined) requireAdmission(admission);
  }
}

/** The pattern of the path, without the key that it may contain. */
const doorOf = ({ url = '' }: IncomingMessage): string =>
  intakePatternAt(url.split('?', 1)[0] ?? '') ?? '/';

/** Returns the body of the events. The connector of a webhook may build an event from the request. @throws Invalid */
const mapped = ({ route, body, request, query }: Received, source: Source): Buffer => {
  if (route.key === undefined) return body;
  const parameters = new Map(new URLSearchParams(query));
  const event = source.toEvent({ body, headers: request.headers, query: parameters });
  return event === undefined ? body : Buffer.from(event);
};
