import { Controller, Delete, HttpCode, Param, Post } from '@nestjs/common';
import { AskedBy } from '../pipeline-service/asked';
import { type Asked, PipelineService } from '../pipeline-service/pipeline-service';
import { connectionId } from './connection-id';

@Controller('v1/connections/:src/links/:dst')
export class LinksController {
  constructor(private readonly pipelineService: PipelineService) {}

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
