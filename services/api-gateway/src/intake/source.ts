import type { IncomingHttpHeaders } from 'node:http';
import type { EventSource, Settings, WebhookRequest } from '@penstock/connectors';
import type { ConnectionState } from '@penstock/contracts';
import { DerivedIds } from './event/derived-id';
import { leafOf } from './event/leaf';
import type { EventOrigin } from './event/sender';

/** A source connection as intake needs it: made once for each version of the connection. */
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

  /** Its events get the address and user agent of the request when they bring none. */
  get isClientSide(): boolean {
    return this.eventSource.clientSide;
  }

  /** Whether the request comes from somebody who knows the connection's secret, if it has one. */
  isGenuine(body: Buffer, headers: IncomingHttpHeaders): boolean {
    return this.eventSource.verify?.(body, headers, this.settings) ?? true;
  }

  /** The JSON text of the event that the request stands for; undefined when its body is taken as it is. */
  toEvent(request: WebhookRequest): string | undefined {
    return this.eventSource.toEvent?.(request, this.settings);
  }
}
