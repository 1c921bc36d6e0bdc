import { type ConnectionId, isIdForm, type PipelineId, type WorkspaceId } from '../ids';

/** How long an announcement holds, in milliseconds: as long as a gateway that has died seems to be interested. */
export const INTEREST_HOLDS_MS = 15_000;

/** Which events of a workspace are watched. */
export interface LiveInterest {
  readonly workspace: WorkspaceId;
  /** A source or a destination; `null`: of any. */
  readonly connection: ConnectionId | null;
  /** `null`: of any. */
  readonly pipeline: PipelineId | null;
}

/** Everything that is watched through one gateway; replaces what it has announced before. */
export interface AnnouncedInterests {
  /** Identifies the process. */
  readonly gateway: string;
  readonly interests: readonly LiveInterest[];
}

const FORM = 1;

type Written = readonly [WorkspaceId, connection: ConnectionId | null, pipeline: PipelineId | null];

/** The value of a message of the topic `live.interest`. */
export const writeInterests = ({ gateway, interests }: AnnouncedInterests): string =>
  JSON.stringify({
    form: FORM,
    gateway,
    interests: interests.map(({ workspace, connection, pipeline }): Written => [
      workspace,
      connection,
      pipeline,
    ]),
  });

const isIdOrNull = (value: unknown): boolean =>
  value === null || (typeof value === 'string' && isIdForm(value));

const isInterest = (value: unknown): value is Written =>
  Array.isArray(value) && value.length === 3 && value[0] !== null && value.every(isIdOrNull);

/** Reads a message of the topic; `undefined`: it has another form, such as that of a newer version. */
export const readInterests = (value: string | null): AnnouncedInterests | undefined => {
  try {
    const { form, gateway, interests } = JSON.parse(value ?? '') as Record<string, unknown>;
    if (form !== FORM || typeof gateway !== 'string' || !Array.isArray(interests)) return undefined;
    if (!interests.every(isInterest)) return undefined;
    const read = interests.map(([workspace, connection, pipeline]) => ({
      workspace,
      connection,
      pipeline,
    }));
    return { gateway, interests: read };
  } catch {
    return undefined;
  }
};
