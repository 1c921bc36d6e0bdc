import { isIdForm, type PipelineId, type RunId, type WorkspaceId } from '../ids';

/**
 * Tells a run executor that a run was requested, or its cancel. The configuration says so too, in full: a command that is
 * lost delays nothing but what an executor does first.
 */
export interface RunCommand {
  readonly type: 'StartRun' | 'CancelRun';
  readonly workspace: WorkspaceId;
  readonly pipeline: PipelineId;
  readonly run: RunId;
  /** Position of the fact in the configuration. */
  readonly position: number;
}

const FORM = 1;

const isId = (value: unknown): boolean => typeof value === 'string' && isIdForm(value);

/** The value of a message of the topic `runs.commands`. */
export const writeRunCommand = (command: RunCommand): string =>
  JSON.stringify({ form: FORM, ...command });

/** Reads a message of the topic; `undefined`: it has another form, such as that of a newer version. */
export const readRunCommand = (value: string | null): RunCommand | undefined => {
  try {
    const { form, ...command } = JSON.parse(value ?? '') as Record<string, unknown>;
    const { type, workspace, pipeline, run, position } = command;
    const isCommand =
      form === FORM &&
      (type === 'StartRun' || type === 'CancelRun') &&
      [workspace, pipeline, run].every(isId) &&
      Number.isSafeInteger(position);
    return isCommand ? (command as unknown as RunCommand) : undefined;
  } catch {
    return undefined;
  }
};
