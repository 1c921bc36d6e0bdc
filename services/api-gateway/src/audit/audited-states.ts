import { Injectable } from '@nestjs/common';
import { ALERT_WEBHOOK, Connectors, maskSettings } from '@penstock/connectors';
import type {
  AlertState,
  ConfigurationState,
  ConnectionState,
  HealthState,
  JsonString,
  OrganizationState,
  PipelineState,
  ResolutionSettings,
  ErasureState,
  ResolutionState,
  RunControlState,
  Sealed,
  SuppressionState,
  WarehouseState,
  WorkspaceState,
} from '@penstock/contracts';
import { KeyErased, SealBroken, Seals } from '@penstock/runtime';
import { isJsonObject, type Json, type JsonObject, parseJson } from '@penstock/schema';
import { mask } from '@penstock/settings';
import { deliveryJson } from '../connections/delivery';
import { jsonObject } from '../http/json-object';

/** Shown in place of a secret that cannot be masked. */
const DOTS = '••••';
/** Shown in place of a secret whose data key was erased with its workspace. */
const ERASED = 'erased';

/** Converts members that are plain JSON data. */
const jsonOf = (members: object): JsonObject => parseJson(JSON.stringify(members)) as JsonObject;

const parsed = (text: JsonString | null): Json => (text === null ? null : parseJson(text));

const organizationJson = ({ kind: _, apiKeys, ...state }: OrganizationState): Json =>
  jsonObject({
    ...Object.fromEntries(jsonOf(state)),
    apiKeys: apiKeys.map(({ hash: _hash, ...key }) => jsonOf(key)),
  });

const workspaceJson = ({ kind: _, ...state }: WorkspaceState): Json => jsonOf(state);

const pipelineJson = ({ kind: _, filter, outSchema, ...state }: PipelineState): Json =>
  jsonObject({
    ...Object.fromEntries(jsonOf(state)),
    filter: parsed(filter),
    outSchema: parsed(outSchema),
  });

/** The id of a suppression is a keyed hash: it does not reveal the user. */
const suppressionJson = ({ kind: _, ...state }: SuppressionState): Json => jsonOf(state);

const healthJson = ({ kind: _, changedAt: _changedAt, ...state }: HealthState): Json =>
  jsonOf(state);

const runControlJson = ({ kind: _, ...state }: RunControlState): Json => jsonOf(state);

const erasureJson = ({ kind: _, ...state }: ErasureState): Json => jsonOf(state);

const resolutionJson = ({ kind: _, ...state }: ResolutionState): Json => jsonOf(state);

/** Blocked values are those of users. */
const resolutionSettingsJson = (settings: ResolutionSettings): Json => {
  const identifiers = Object.keys(settings.blockedValues);
  const blockedValues = Object.fromEntries(identifiers.map((path) => [path, DOTS]));
  return jsonOf({ ...settings, blockedValues });
};

/** Shows a schema as what it is, not as its text. */
const withSchema = (members: object & { readonly schema?: JsonString }): Json =>
  jsonObject({
    ...Object.fromEntries(jsonOf(members)),
    schema: members.schema === undefined ? undefined : parsed(members.schema),
  });

const warehouseJson = ({
  kind: _,
  mcpSettings,
  settings: _settings,
  profiles,
  profileChange,
  resolution,
  ...state
}: WarehouseState): Json =>
  jsonObject({
    ...Object.fromEntries(jsonOf(state)),
    settings: DOTS,
    mcpSettings: mcpSettings === null ? null : DOTS,
    profiles: profiles && withSchema(profiles),
    profileChange: profileChange && withSchema(profileChange),
    resolution: resolution && resolutionSettingsJson(resolution),
  });

/** Converts states of objects for the audit: secrets masked, hashes left out. */
@Injectable()
export class AuditedStates {
  constructor(
    private readonly connectors: Connectors,
    private readonly seals: Seals,
  ) {}

  show(state: ConfigurationState | null): Json {
    switch (state?.kind) {
      case undefined:
        return null;
      case 'organization':
        return organizationJson(state);
      case 'workspace':
        return workspaceJson(state);
      case 'connection':
        return this.connectionJson(state);
      case 'pipeline':
        return pipelineJson(state);
      case 'suppression':
        return suppressionJson(state);
      case 'warehouse':
        return warehouseJson(state);
      case 'health':
        return healthJson(state);
      case 'runs':
        return runControlJson(state);
      case 'resolution':
        return resolutionJson(state);
      case 'erasure':
        return erasureJson(state);
      case 'alert':
        return this.alertJson(state);
    }
  }

  private alertJson({ kind: _, webhook, ...state }: AlertState): Json {
    return jsonObject({
      ...Object.fromEntries(jsonOf(state)),
      webhook: this.masked(webhook, state.workspace, (plain) => {
        const settings = parseJson(plain);
        return isJsonObject(settings) ? maskSettings(ALERT_WEBHOOK, settings) : DOTS;
      }),
    });
  }

  private connectionJson({
    kind: _,
    settings,
    writeKeys,
    delivery,
    ...state
  }: ConnectionState): Json {
    return jsonObject({
      ...Object.fromEntries(jsonOf(state)),
      delivery: delivery && deliveryJson(delivery),
      settings: this.settingsJson(state, settings),
      writeKeys: writeKeys.map(({ sealed }) => this.masked(sealed, state.workspace, mask)),
    });
  }

  /** Shows dots where the connector is not installed: only it knows which settings are secret. */
  private settingsJson(
    { connector, workspace }: Pick<ConnectionState, 'connector' | 'workspace'>,
    sealed: Sealed,
  ): Json {
    return this.masked(sealed, workspace, (plain) => {
      const [known, settings] = [this.connectors.get(connector), parseJson(plain)];
      return known === undefined || !isJsonObject(settings) ? DOTS : maskSettings(known, settings);
    });
  }

  /** Masks a sealed value; for one that cannot be opened, shows `erased` or dots. */
  private masked(sealed: Sealed, workspace: string, maskPlain: (plain: string) => Json): Json {
    try {
      return maskPlain(this.seals.open(sealed, workspace));
    } catch (error) {
      if (error instanceof KeyErased) return ERASED;
      if (error instanceof SealBroken) return DOTS;
      throw error;
    }
  }
}
