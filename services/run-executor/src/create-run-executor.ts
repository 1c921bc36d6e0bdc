import { type Logger, NestLogger } from '@penstock/runtime';
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';

/** Where imports, exports and identity resolution are performed. This version has no kind of run yet. */
@Module({})
class RunExecutorModule {}

export interface RunExecutorDependencies {
  readonly logger: Logger;
}

/** Resolves when the executor is up. */
export const createRunExecutor = async ({
  logger,
}: RunExecutorDependencies): Promise<{ close(): Promise<void> }> => {
  const application = await NestFactory.createApplicationContext(RunExecutorModule, {
    logger: new NestLogger(logger),
    abortOnError: false,
  });
  return { close: () => application.close() };
};
