import type { IncomingHttpHeaders } from 'node:http';
import type { Json, JsonObject } from '@penstock/schema';
import type { Database } from '@penstock/databases';
import type { ConnectionRole, ConnectorType } from '@penstock/contracts';
import type { Form } from '@penstock/settings';
import type { CallContext } from './call-context';
import type { EventDestination } from './event-destination';
import type { FileDestination } from './file-destination';
import type { FileStorage } from './file-storage';
import type { UserDestination } from './user-destination';
import type { Answer, UserSource } from './user-source';

/** What a pipeline of the connection handles: events, or users. */
export type Target = 'User' | 'Event';

/** What a connector offers in one role. */
export interface RoleDescription {
  readonly targets: readonly Target[];
  /** One sentence for people. */
  readonly summary: string;
}

/** Settings as a connection holds them: checked, defaults filled in. */
export type Settings = JsonObject;

/** What a sender that cannot be configured posts. */
export interface WebhookRequest {
  /** As sent, after `Content-Encoding` was undone. */
  readonly body: Uint8Array;
  readonly headers: IncomingHttpHeaders;
  readonly query: ReadonlyMap<string, string>;
}

/** What a source of events does with a request of its sender. */
export interface EventSource {
  /** Absent address, user agent: browser and mobile sources take them from the request. */
  readonly clientSide: boolean;
  /** Setting `ip`: what becomes of the address. */
  readonly ipPolicy: (settings: Settings) => 'keep' | 'mask' | 'drop';
  /**
   * Whether the request comes from somebody who knows the connection's secret; always true where the settings
   * hold none. Absent: there is nothing to check.
   *
   * @param body the bytes as sent, after `Content-Encoding` was undone.
   */
  readonly verify?: (body: Uint8Array, headers: IncomingHttpHeaders, settings: Settings) => boolean;
  /**
   * Makes of a request the JSON text of one event, which intake takes instead of the body.
   *
   * @returns undefined when the body is to be taken as it is.
   * @throws Invalid when the body is not JSON, or cannot be mapped.
   */
  readonly toEvent?: (request: WebhookRequest, settings: Settings) => string | undefined;
}

/** The settings of something: what they may hold, and how they are checked. */
export interface CheckedSettings {
  /** What the settings may hold: an object. */
  readonly settings: Form;
  /**
   * Checks the form of the settings, without the network.
   *
   * @returns the settings with defaults filled in, members in the order of {@link settings}.
   * @throws Invalid naming every bad member by its JSON pointer within the settings.
   */
  checkSettings(settings: Json, role: ConnectionRole): Settings;
}

/** Asks an application whether it accepts settings, by a request that changes nothing. */
export type SettingsCheck = (
  settings: Settings,
  role: ConnectionRole,
  context: CallContext,
) => Promise<Answer<unknown>>;

/** A kind of thing that can be connected. Stateless: settings are all that it knows. */
export interface Connector extends CheckedSettings {
  /** Lower-case, stable, never re-used. */
  readonly code: string;
  readonly label: string;
  readonly type: ConnectorType;
  readonly categories: readonly string[];
  readonly asSource: RoleDescription | null;
  readonly asDestination: (RoleDescription & { readonly sendingMode: 'Server' }) | null;
  /** Of users, in this application's words; `null` where it has none. */
  readonly terms: { readonly user: string; readonly users: string; readonly userId: string } | null;
  /** Present on applications that can be asked. */
  readonly askSettings?: SettingsCheck;
  /** Present on connectors whose connections receive events. */
  readonly eventSource?: EventSource;
  /** Present on destinations that take events. */
  readonly eventDestination?: EventDestination;
  /** Present on databases that can be read. */
  readonly database?: Database;
  /** Present on storages whose files can be read. */
  readonly fileStorage?: FileStorage;
  /** Present on storages whose files can be written. */
  readonly fileDestination?: FileDestination;
  /** Present on applications whose users can be read. */
  readonly userSource?: UserSource;
  /** Present on applications whose users can be written. */
  readonly userDestination?: UserDestination;
}
