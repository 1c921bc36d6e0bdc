import { type Queries, Refusal } from '@penstock/contracts';
import { sheetsOf } from '@penstock/files';
import { LogRequestContext } from '@penstock/messaging';
import { SlowRequests } from '@penstock/platform';
import { Controller } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import { Handles, type RequestFor } from '../command-handling/handles';
import { FileLooks, FileSpool, lookAt } from './file-looks';

type Query = Queries['ListSheets'];

/** Lists the sheets of a file of a storage. */
@Controller()
export class ListSheets {
  constructor(
    private readonly looks: FileLooks,
    private readonly spool: FileSpool,
    private readonly slow: SlowRequests,
  ) {}

  @Handles('ListSheets')
  handle(@Payload() request: RequestFor<'ListSheets'>, @Ctx() received: LogRequestContext) {
    const { context, in: wanted } = request;
    return this.slow.handle(request, received, async (until): Promise<Query['out']> => {
      const { reading } = lookAt(wanted, this.spool, until);
      if (!reading.format.hasSheets)
        throw new Refusal('BadRequest', {
          details: [{ path: '/format', message: 'the format has no sheets' }],
        });
      return this.looks.into(wanted, context.workspace, until, async (file) => ({
        sheets: await sheetsOf(file, reading),
      }));
    });
  }
}
