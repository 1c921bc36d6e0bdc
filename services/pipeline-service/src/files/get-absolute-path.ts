import type { Queries } from '@penstock/contracts';
import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import { Handles, type RequestFor } from '../command-handling/handles';
import { FileStorages } from './file-storages';
import { refusingFaults } from './refused-fault';

type Query = Queries['GetAbsolutePath'];

/** Shows where a path of a storage leads, without going there. */
@Controller()
export class GetAbsolutePath {
  constructor(private readonly storages: FileStorages) {}

  @Handles('GetAbsolutePath')
  async handle(
    @Payload() { context, in: input }: RequestFor<'GetAbsolutePath'>,
  ): Promise<Query['out']> {
    const { storage, settings } = await this.storages.of(input.connection, context.workspace);
    return { path: await refusingFaults(() => storage.absolutePath(input.path, settings)) };
  }
}
