import type { Json, JsonObject } from '@penstock/schema';
import type { ConnectionRole, ConnectorType } from '@penstock/contracts';
import type { EventDestination } from './event-destination';

export type Target = 'User' | 'Event';

/** What a connector offers in one role. */
export interface RoleDescription {
  readonly targets: readonly Target[];
  /** One sentence for people. */
  readonly summary: string;
}

/** One setting of a connection, for forms and for documentation. */
export interface SettingDescription {
  readonly name: string;
  readonly schema: Json;
  readonly required: boolean;
  readonly secret: boolean;
  readonly description: string;
}

/** Settings as a connection holds them: checked, defaults filled in. */
export type Settings = JsonObject;

/** What a source of events does with a request of its sender. */
export interface EventSource {
  /** Absent address, user agent: browser and mobile sources take them from the request. */
  readonly clientSide: boolean;
  /** Setting `ip`: what becomes of the address. */
  readonly ipPolicy: (settings: Settings) => 'keep' | 'mask' | 'drop';
}

/** A kind of thing that can be connected. Stateless: settings are all that it knows. */
export interface Connector {
  /** Lower-case, stable, never re-used. */
  readonly code: string;
  readonly label: string;
  readonly type: ConnectorType;
  readonly categories: readonly string[];
  readonly asSource: RoleDescription | null;
  readonly asDestination: (RoleDescription & { readonly sendingMode: 'Server' }) | null;
  readonly settings: readonly SettingDescription[];
  /** Of users, in this application's words; `null` where it has none. */
  readonly terms: { readonly user: string; readonly users: string; readonly userId: string } | null;
  /**
   * Checks the form of the settings, without the network.
   *
   * @returns the settings with defaults filled in, members in the order of {@link Connector.settings}.
   * @throws Invalid naming every bad member by its JSON pointer within the settings.
   */
  checkSettings(settings: Json, role: ConnectionRole): Settings;
  /** Present on connectors whose connections receive events. */
  readonly eventSource?: EventSource;
  /** Present on destinations that take events. */
  readonly eventDestination?: EventDestination;
}

/** The same settings with every secret replaced by dots and its last four characters. */
export type MaskSettings = (connector: Connector, settings: Settings) => Settings;
