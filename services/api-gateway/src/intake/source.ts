import type { IncomingHttpHeaders } from 'node:http';
import type { EventSource, Settings, WebhookRequest } from '@penstock/connectors';
import type { ConnectionState } from '@penstock/contracts';
import { DerivedIds } from './event/derived-id';
import { leafOf } from './event/leaf';
import type { EventOrigin } from './event/sender';

/** A source connection as intake uses it; created once for each version of the connection. */
export class Source {
  readonly origin: EventOrigin;

  constructor(
    readonly connection: ConnectionState,
    private readonly eventSource: EventSource,
    private readonly settings: Settings,
  ) {
    this.origin = {
      connection: leafOf(connection.id),
      derivedIds: new DerivedIds(connection.id),
      addressPolicy: eventSource.ipPolicy(settings),
    };
  }

  /** Whether its events get the address and user agent of the request when they have none. */
  get isClientSide(): boolean {
    return this.eventSource.clientSide;
  }

  /** Verifies the signature of the request; true when the connection has no secret. */
  isGenuine(body: Buffer, headers: IncomingHttpHeaders): boolean {
    return this.eventSource.verify?.(body, headers, this.settings) ?? true;
  }

  /** Builds the JSON text of the event from a webhook request; undefined when the body is the event itself. */
  toEvent(request: WebhookRequest): string | undefined {
    return this.eventSource.toEvent?.(request, this.settings);
  }
}
