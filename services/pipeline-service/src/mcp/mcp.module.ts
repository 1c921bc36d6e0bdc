import { Module } from '@nestjs/common';
import { WarehouseModule } from '../warehouse/warehouse.module';
import { DescribeWarehouse } from './describe-warehouse';
import { McpReads } from './mcp-reads';
import { McpWarehouse } from './mcp-warehouse';
import { QueryWarehouse } from './query-warehouse';

/** What the MCP server reads from warehouses. */
@Module({
  imports: [WarehouseModule],
  controllers: [DescribeWarehouse, QueryWarehouse],
  providers: [McpReads, McpWarehouse],
})
export class McpModule {}
