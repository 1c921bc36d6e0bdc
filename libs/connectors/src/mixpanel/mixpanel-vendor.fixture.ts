import { type Answer, answer, type ReceivedRequest } from '../http-stub.fixture';

export interface MixpanelEvent {
  readonly event: string;
  readonly properties: Record<string, unknown>;
}

export interface MixpanelProfile {
  readonly $token: string;
  readonly $distinct_id: string;
  readonly $set: unknown;
}

interface Reply {
  readonly status: number;
  readonly body: object;
}

const MAX_RECORDS = 2_000;
const MAX_BODY_BYTES = 2_097_152;
const EARLIEST_MS = Date.UTC(1971, 0, 1);
const HOUR_MS = 3_600_000;
const PLACEHOLDERS = new Set(['', 'anon', 'anonymous', 'nil', 'none', 'null', 'n/a', 'undefined']);

/** What is wrong with an event, and with which field. */
const faultOf = ({
  event,
  properties,
}: MixpanelEvent): [field: string, message: string] | undefined => {
  const { time, distinct_id: id, $insert_id: insertId } = properties;
  if (event === '') return ['event', "'event' must not be empty"];
  if (typeof time !== 'number' || time < EARLIEST_MS || time > Date.now() + HOUR_MS)
    return ['properties.time', "'properties.time' is invalid"];
  if (typeof id !== 'string' || PLACEHOLDERS.has(id))
    return ['properties.distinct_id', "'properties.distinct_id' is invalid"];
  if (typeof insertId !== 'string' || !/^[A-Za-z0-9-]{1,36}$/.test(insertId))
    return ['properties.$insert_id', "'properties.$insert_id' is invalid"];
  if (Object.keys(properties).length >= 255) return ['properties', 'too many properties'];
  return undefined;
};

/**
 * With `strict=1` takes the good records and names the others.
 *
 * Source: Mixpanel Docs, "Import Events", "400 Bad Request" and "Set Property", version 1.0.0 of the Ingestion API.
 */
export class MixpanelVendor {
  /** By what the vendor knows duplicates. */
  readonly events = new Map<string, MixpanelEvent>();
  readonly profiles: MixpanelProfile[] = [];

  constructor(
    private readonly token: string,
    private readonly project: string,
  ) {}

  readonly answer: Answer = (response, request) => {
    const { status, body } = this.reply(request);
    answer(status, JSON.stringify(body))(response, request);
  };

  private reply(request: ReceivedRequest): Reply {
    const { pathname, searchParams } = new URL(request.url, 'http://localhost');
    if (request.method !== 'POST' || request.headers['content-type'] !== 'application/json')
      return { status: 400, body: { code: 400, error: 'bad request' } };
    if (Buffer.byteLength(request.body) > MAX_BODY_BYTES)
      return { status: 413, body: { code: 413, error: 'request exceeds max limit' } };
    const records = JSON.parse(request.body) as unknown[];
    if (records.length > MAX_RECORDS)
      return { status: 413, body: { code: 413, error: 'too many records' } };
    if (pathname === '/import' && searchParams.get('strict') === '1')
      return this.isAuthentic(request, searchParams)
        ? this.import(records as MixpanelEvent[])
        : {
            status: 401,
            body: { code: 401, error: 'Invalid credentials', status: 'Unauthorized' },
          };
    if (pathname === '/engage' && searchParams.get('ip') === '0')
      return this.engage(records as MixpanelProfile[]);
    return { status: 404, body: {} };
  }

  private isAuthentic({ headers }: ReceivedRequest, query: URLSearchParams): boolean {
    const credentials = Buffer.from(`${this.token}:`).toString('base64');
    return (
      headers.authorization === `Basic ${credentials}` && query.get('project_id') === this.project
    );
  }

  private import(events: readonly MixpanelEvent[]): Reply {
    const failed = events.flatMap((event, index) => {
      const fault = faultOf(event);
      if (fault === undefined) {
        const { time, distinct_id: id, $insert_id: insertId } = event.properties;
        this.events.set(JSON.stringify([event.event, time, id, insertId]), event);
        return [];
      }
      const [field, message] = fault;
      return [{ index, insert_id: event.properties['$insert_id'], field, message }];
    });
    const num_records_imported = events.length - failed.length;
    return failed.length === 0
      ? { status: 200, body: { code: 200, num_records_imported, status: 'OK' } }
      : {
          status: 400,
          body: {
            code: 400,
            error: 'some data points in the request failed validation',
            failed_records: failed,
            num_records_imported,
            status: 'Bad Request',
          },
        };
  }

  private engage(profiles: readonly MixpanelProfile[]): Reply {
    const good = profiles.filter(
      ({ $token, $distinct_id, $set }) =>
        $token !== '' && $distinct_id !== '' && typeof $set === 'object' && $set !== null,
    );
    this.profiles.push(...good);
    return good.length === 0
      ? { status: 200, body: { status: 0, error: 'no valid profile' } }
      : { status: 200, body: { status: 1, error: null } };
  }
}
