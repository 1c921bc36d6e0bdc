import { Controller, Get, Param } from '@nestjs/common';
import { Connectors, describeConnector } from '@penstock/connectors';
import { Refusal } from '@penstock/contracts';
import type { Json } from '@penstock/schema';
import { jsonObject } from '../http/json-object';
import { Describe, Refuses, Tagged } from '../openapi/schema/describe';

@Tagged('Connectors')
@Controller('v1/connectors')
export class ConnectorsController {
  constructor(private readonly connectors: Connectors) {}

  @Describe('List connectors', { answer: 'ConnectorList' })
  @Get()
  list(): Json {
    return jsonObject({ connectors: this.connectors.list.map(describeConnector) });
  }

  @Describe('Get connector', { answer: 'Connector' })
  @Refuses('ConnectorNotExist')
  @Get(':code')
  get(@Param('code') code: string): Json {
    const connector = this.connectors.get(code);
    if (connector === undefined) throw new Refusal('ConnectorNotExist');
    return describeConnector(connector);
  }
}
