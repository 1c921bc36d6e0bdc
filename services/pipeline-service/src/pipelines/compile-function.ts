import { EVENT_SCHEMA, Refusal, type TransformationFunction } from '@penstock/contracts';
import type { Schema } from '@penstock/schema';
import {
  type FunctionCompileOptions,
  FunctionRefused,
  type FunctionRunner,
  SandboxUnavailable,
} from '@penstock/transformations';

/** What a runner's error is to whoever asked; any other error stays itself. */
export const refusalOf = (error: unknown): unknown => {
  if (error instanceof SandboxUnavailable)
    return new Refusal('ServiceUnavailable', {
      message: 'service is unavailable: functions cannot be run at the moment',
    });
  if (!(error instanceof FunctionRefused)) return error;
  const { message, line, column } = error;
  return new Refusal('TransformationFailed', {
    message: `transformation failed: ${message}`,
    details: [{ path: '/transformation/function/source', message, line, column }],
  });
};

/** Whether a function that looks right is one: evaluates it in the sandbox, without any record. */
export type CompileFunction = (
  definition: TransformationFunction,
  outSchema: Schema,
) => Promise<void>;

/**
 * For one command, which may be decided several times: what was compiled is not compiled again.
 *
 * @throws Refusal TransformationFailed, or ServiceUnavailable when there is no sandbox. Or the signal's reason.
 */
export const compilingOnce = (
  functions: FunctionRunner,
  options: FunctionCompileOptions,
): CompileFunction => {
  let compiled: Promise<void> | undefined;
  return (definition, output) => {
    compiled ??= functions
      .compile(definition, { input: EVENT_SCHEMA, output }, options)
      .catch((error: unknown) => {
        throw refusalOf(error);
      });
    return compiled;
  };
};
