import { Controller, Get, Param } from '@nestjs/common';
import { describeConnector } from '@penstock/connectors';
import { Refusal } from '@penstock/contracts';
import type { Json } from '@penstock/schema';
import { jsonObject } from '../http/json-object';
import { ConnectorList } from './connector-list';

@Controller('v1/connectors')
export class ConnectorsController {
  constructor(private readonly connectors: ConnectorList) {}

  @Get()
  list(): Json {
    return jsonObject({ connectors: this.connectors.list.map(describeConnector) });
  }

  @Get(':code')
  get(@Param('code') code: string): Json {
    const connector = this.connectors.get(code);
    if (connector === undefined) throw new Refusal('ConnectorNotExist');
    return describeConnector(connector);
  }
}
