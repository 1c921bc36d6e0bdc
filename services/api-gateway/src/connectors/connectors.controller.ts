import { Controller, Get, Param } from '@nestjs/common';
import { Connectors, describeConnector, describeFormat } from '@penstock/connectors';
import { Refusal } from '@penstock/contracts';
import { FILE_FORMATS } from '@penstock/files';
import type { Json } from '@penstock/schema';
import { jsonObject } from '../http/json-object';
import { Describe, Refuses, Tagged } from '../openapi/schema/describe';

@Tagged('Connectors')
@Controller('v1/connectors')
export class ConnectorsController {
  constructor(private readonly connectors: Connectors) {}

  @Describe('List connectors', {
    description: 'Also the formats of files, which are chosen in a pipeline.',
    answer: 'ConnectorList',
  })
  @Get()
  list(): Json {
    const connectors = this.connectors.list.map(describeConnector);
    return jsonObject({ connectors: [...connectors, ...FILE_FORMATS.map(describeFormat)] });
  }

  @Describe('Get connector', { answer: 'Connector' })
  @Refuses('ConnectorNotExist')
  @Get(':code')
  get(@Param('code') code: string): Json {
    const connector = this.connectors.get(code);
    if (connector !== undefined) return describeConnector(connector);
    const format = FILE_FORMATS.find((each) => each.code === code);
    if (format === undefined) throw new Refusal('ConnectorNotExist');
    return describeFormat(format);
  }
}
