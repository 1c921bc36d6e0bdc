import { once } from 'node:events';
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';

interface Value {
  readonly stringValue?: string;
  readonly intValue?: number | string;
  readonly doubleValue?: number;
  readonly boolValue?: boolean;
  readonly arrayValue?: { readonly values?: readonly Value[] };
  readonly kvlistValue?: { readonly values?: readonly Member[] };
}

interface Member {
  readonly key: string;
  readonly value: Value;
}

/** Attributes by name, as plain values. */
type Plain = Readonly<Record<string, unknown>>;

const plainValue = (value: Value): unknown => {
  if (value.arrayValue) return (value.arrayValue.values ?? []).map(plainValue);
  if (value.kvlistValue) return plain(value.kvlistValue.values ?? []);
  if (value.intValue !== undefined) return Number(value.intValue);
  return value.stringValue ?? value.doubleValue ?? value.boolValue;
};

const plain = (members: readonly Member[] = []): Plain =>
  Object.fromEntries(members.map(({ key, value }) => [key, plainValue(value)]));

interface Grouped {
  readonly resource: { readonly attributes: readonly Member[] };
}

interface WireSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly attributes: readonly Member[];
  readonly links?: readonly { readonly traceId: string; readonly spanId: string }[];
  readonly status?: { readonly code?: number };
}

interface WireLog {
  readonly severityText?: string;
  readonly severityNumber?: number;
  readonly body?: Value;
  readonly attributes: readonly Member[];
  readonly traceId?: string;
  readonly spanId?: string;
}

interface WirePoint {
  readonly attributes: readonly Member[];
  readonly asDouble?: number;
  readonly asInt?: number;
  readonly count?: number;
  readonly sum?: number;
  readonly bucketCounts?: readonly number[];
  readonly explicitBounds?: readonly number[];
}

interface WireMetric {
  readonly name: string;
  readonly sum?: { readonly dataPoints: readonly WirePoint[]; readonly isMonotonic?: boolean };
  readonly gauge?: { readonly dataPoints: readonly WirePoint[] };
  readonly histogram?: { readonly dataPoints: readonly WirePoint[] };
}

/** The requests of all signals; each has one of the members. */
interface WireRequest {
  readonly resourceSpans?: readonly (Grouped & {
    readonly scopeSpans: readonly { readonly spans: readonly WireSpan[] }[];
  })[];
  readonly resourceLogs?: readonly (Grouped & {
    readonly scopeLogs: readonly { readonly logRecords: readonly WireLog[] }[];
  })[];
  readonly resourceMetrics?: readonly (Grouped & {
    readonly scopeMetrics: readonly { readonly metrics: readonly WireMetric[] }[];
  })[];
}

/** A span that was exported, with the attributes of its resource. */
export type ReceivedSpan = Omit<WireSpan, 'attributes'> & {
  readonly attributes: Plain;
  readonly resource: Plain;
};

/** A log record that was exported; the body is a text. */
export type ReceivedLog = Omit<WireLog, 'attributes' | 'body'> & {
  readonly body: unknown;
  readonly attributes: Plain;
  readonly resource: Plain;
};

/** A metric that was exported, with the attributes of its points. */
export type ReceivedMetric = WireMetric & { readonly resource: Plain };

/** A request as it arrived. */
interface ReceivedRequest {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
}

/** A receiver of OTLP over HTTP in JSON, which answers as the test sets. */
export class OtlpReceiver {
  readonly requests: ReceivedRequest[] = [];
  readonly spans: ReceivedSpan[] = [];
  readonly logs: ReceivedLog[] = [];
  readonly metrics: ReceivedMetric[] = [];
  /** What becomes of the following requests: taken, never answered, or answered 503 or 400. */
  mood: 'takes' | 'hangs' | 'unavailable' | 'refuses' = 'takes';

  private constructor(private readonly server: Server) {
    server.on('request', (request: IncomingMessage, response: ServerResponse) => {
      const parts: Buffer[] = [];
      request.on('data', (part: Buffer) => parts.push(part));
      request.on('end', () => {
        this.answer(request, Buffer.concat(parts).toString(), response);
      });
    });
  }

  /** @param port default: any free one. */
  static async open(port = 0): Promise<OtlpReceiver> {
    const server = createServer().listen(port, '127.0.0.1');
    await once(server, 'listening');
    return new OtlpReceiver(server);
  }

  /** For `OTEL_EXPORTER_OTLP_ENDPOINT`. */
  get endpoint(): string {
    return `http://127.0.0.1:${String((this.server.address() as AddressInfo).port)}`;
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }

  private answer(
    { url = '', headers }: IncomingMessage,
    body: string,
    response: ServerResponse,
  ): void {
    this.requests.push({ path: url, headers });
    if (this.mood === 'hangs') return;
    if (this.mood !== 'takes') {
      const status = this.mood === 'unavailable' ? 503 : 400;
      response.writeHead(status).end(`you have sent ${String(headers['api-key'])}`);
      return;
    }
    this.take(JSON.parse(body) as WireRequest);
    response.writeHead(200, { 'Content-Type': 'application/json' }).end('{}');
  }

  private take({ resourceSpans = [], resourceLogs = [], resourceMetrics = [] }: WireRequest): void {
    for (const { resource, scopeSpans } of resourceSpans)
      for (const span of scopeSpans.flatMap(({ spans }) => spans))
        this.spans.push({
          ...span,
          attributes: plain(span.attributes),
          resource: plain(resource.attributes),
        });
    for (const { resource, scopeLogs } of resourceLogs)
      for (const { body, ...record } of scopeLogs.flatMap(({ logRecords }) => logRecords))
        this.logs.push({
          ...record,
          body: body && plainValue(body),
          attributes: plain(record.attributes),
          resource: plain(resource.attributes),
        });
    for (const { resource, scopeMetrics } of resourceMetrics)
      for (const metric of scopeMetrics.flatMap(({ metrics }) => metrics))
        this.metrics.push({ ...metric, resource: plain(resource.attributes) });
  }
}
