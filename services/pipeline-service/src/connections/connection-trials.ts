import { type Connector, Connectors, GuardedHttp } from '@penstock/connectors';
import { CHECKED_CONNECTORS, type ConnectionId, Refusal, type Sealed } from '@penstock/contracts';
import { DatabaseFault } from '@penstock/databases';
import { GuardedSockets } from '@penstock/egress';
import { unavailable } from '@penstock/platform';
import type { JsonObject } from '@penstock/schema';
import { Injectable } from '@nestjs/common';
import { EntityManager } from 'typeorm';
import { orUnavailable } from '../database/or-unavailable';
import { withinDeadline } from '../deadline/within-deadline';
import { ConnectionSettings, type SealedSettings } from './connection-settings';

/** The time for a whole trial. Source: connectors, rules for all. */
const TRIAL_TIMEOUT_MS = 10_000;

/** Settings of a connection as a client sent them. */
export interface TriedSettings extends SealedSettings {
  readonly connection: ConnectionId;
  /** Code of the connector. */
  readonly connector: string;
  /** What the connection has; absent for a new one. */
  readonly present?: Sealed;
}

/** Tries settings at the server that they lead to, which takes a while: before the command is decided. */
@Injectable()
export class ConnectionTrials {
  constructor(
    private readonly database: EntityManager,
    private readonly connectors: Connectors,
    private readonly settings: ConnectionSettings,
    private readonly sockets: GuardedSockets,
    private readonly http: GuardedHttp,
  ) {}

  /**
   * Tries settings where there is something to be tried; what else is wrong with them is for the decision to say.
   *
   * @param until fires when the client no longer waits for the answer.
   * @throws Refusal InvalidSettings when the server refuses, ServiceUnavailable when it cannot be reached.
   */
  async of(tried: TriedSettings, until: AbortSignal): Promise<void> {
    const connector = this.connectors.get(tried.connector);
    if (connector === undefined || !CHECKED_CONNECTORS.includes(connector.code)) return;
    const settings = await this.opened(connector, tried);
    if (settings === undefined) return;
    await withinDeadline(
      (signal) => this.try(connector, settings, tried, signal),
      until,
      TRIAL_TIMEOUT_MS,
    );
  }

  private async try(
    { database, askSettings }: Connector,
    settings: JsonObject,
    { role, connection }: TriedSettings,
    signal: AbortSignal,
  ): Promise<void> {
    await refusing(() => database?.check(settings, { sockets: this.sockets, signal }));
    if (askSettings === undefined) return;
    const answer = await askSettings(settings, role, { connection, http: this.http, signal });
    if (answer.kind === 'answered') return;
    const isRefused = answer.kind === 'rejected' || REFUSING.has(answer.status);
    throw isRefused ? invalid(answer.reason) : unavailable(`the application: ${answer.reason}`);
  }

  /** Settings in plain text; undefined when their form is wrong. */
  private async opened(
    connector: Connector,
    { present, ...given }: TriedSettings,
  ): Promise<JsonObject | undefined> {
    try {
      const settings = await orUnavailable(
        this.settings.check(this.database, connector, given, present),
      );
      return await this.settings.open(this.database, connector, { ...given, settings });
    } catch (error) {
      if (error instanceof Refusal && error.code !== 'ServiceUnavailable') return undefined;
      throw error;
    }
  }
}

/** Statuses of applications that do not know the credentials. */
const REFUSING: ReadonlySet<number | undefined> = new Set([401, 403]);

const invalid = (message: string): Refusal =>
  new Refusal('InvalidSettings', { details: [{ path: '/settings', message }] });

const refusing = async (work: () => Promise<void> | undefined): Promise<void> => {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof DatabaseFault)) throw error;
    const { kind, message } = error;
    if (kind === 'Unreachable') throw unavailable(`the database: ${message}`);
    throw invalid(message);
  }
};
