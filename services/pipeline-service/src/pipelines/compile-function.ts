import { Refusal, type TransformationFunction } from '@penstock/contracts';
import {
  type FunctionCompileOptions,
  FunctionRefused,
  type FunctionRunner,
  type FunctionSchemas,
  SandboxUnavailable,
} from '@penstock/transformations';

/** Translates an error of the function runner into a refusal; returns any other error as it is. */
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

/** Compiles a function by evaluating it in the sandbox, without passing it a record. */
export type CompileFunction = (
  definition: TransformationFunction,
  schemas: FunctionSchemas,
) => Promise<void>;

/**
 * Returns a compiler for one command. A command may be decided several times; its function is compiled once.
 *
 * The compiler throws Refusal TransformationFailed, Refusal ServiceUnavailable when there is no sandbox, or the
 * signal's reason.
 */
export const compilingOnce = (
  functions: FunctionRunner,
  options: FunctionCompileOptions,
): CompileFunction => {
  let compiled: Promise<void> | undefined;
  return (definition, schemas) => {
    compiled ??= functions.compile(definition, schemas, options).catch((error: unknown) => {
      throw refusalOf(error);
    });
    return compiled;
  };
};
