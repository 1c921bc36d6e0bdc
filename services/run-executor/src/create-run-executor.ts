import { type Logger, NestLogger } from '@penstock/runtime';
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';

/** Will run imports, exports and identity resolution; this version has no kind of run yet. */
@Module({})
class RunExecutorModule {}

export interface RunExecutorDependencies {
  readonly logger: Logger;
}

/** Starts the executor. Resolves when it is running. */
export const createRunExecutor = async ({
  logger,
}: RunExecutorDependencies): Promise<{ close(): Promise<void> }> => {
  const application = await NestFactory.createApplicationContext(RunExecutorModule, {
    logger: new NestLogger(logger),
    abortOnError: false,
  });
  return { close: () => application.close() };
};
