import { Controller, Delete, HttpCode, Param, Post } from '@nestjs/common';
import { Describe, Refuses, Tagged } from '../openapi/describe';
import { AskedBy } from '../pipeline-service/asked';
import { type Asked, PipelineService } from '../pipeline-service/pipeline-service';
import { connectionId } from './connection-id';

@Tagged('Connections')
@Controller('v1/connections/:src/links/:dst')
export class LinksController {
  constructor(private readonly pipelineService: PipelineService) {}

  @Describe('Link connections', {
    description: 'Events that the source receives go to the destination from now on.',
  })
  @Refuses('ConnectionNotExist')
  @Post()
  @HttpCode(200)
  async link(
    @AskedBy() asked: Asked,
    @Param('src') src: string,
    @Param('dst') dst: string,
  ): Promise<void> {
    const link = { source: connectionId(src), destination: connectionId(dst) };
    await this.pipelineService.change('LinkConnections', link.source, link, asked);
  }

  @Describe('Unlink connections')
  @Refuses('ConnectionNotExist')
  @Delete()
  async unlink(
    @AskedBy() asked: Asked,
    @Param('src') src: string,
    @Param('dst') dst: string,
  ): Promise<void> {
    const link = { source: connectionId(src), destination: connectionId(dst) };
    await this.pipelineService.change('UnlinkConnections', link.source, link, asked);
  }
}
