import { Controller, Delete, HttpCode, Param } from '@nestjs/common';
import { Performs, Tagged } from '../openapi/schema/describe';
import { Metadata } from '../pipeline-service/metadata';
import { type RequestMetadata, PipelineService } from '../pipeline-service/pipeline-service';
import { connectionId } from './connection-id';
import { RepeatablePost } from '../retries/repeatable-post';

@Tagged('Connections')
@Controller('v1/connections/:src/links/:dst')
export class LinksController {
  constructor(private readonly pipelineService: PipelineService) {}

  @Performs('LinkConnections', 'Link connections', {
    description: 'Events that the source receives go to the destination from now on.',
  })
  @RepeatablePost()
  @HttpCode(200)
  async link(
    @Metadata() metadata: RequestMetadata,
    @Param('src') src: string,
    @Param('dst') dst: string,
  ): Promise<void> {
    const link = { source: connectionId(src), destination: connectionId(dst) };
    await this.pipelineService.execute('LinkConnections', link.source, link, metadata);
  }

  @Performs('UnlinkConnections', 'Unlink connections')
  @Delete()
  async unlink(
    @Metadata() metadata: RequestMetadata,
    @Param('src') src: string,
    @Param('dst') dst: string,
  ): Promise<void> {
    const link = { source: connectionId(src), destination: connectionId(dst) };
    await this.pipelineService.execute('UnlinkConnections', link.source, link, metadata);
  }
}
