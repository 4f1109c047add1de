// node_tutorial: a server on node:http as tutorials have it. It looks for late clients only now and then: see node_http.

import { createServer } from "node:http";
import process from "node:process";

const server = createServer((_request, response) => {
    response.end("Hello!\n");
});
server.listen(process.env.PORT ?? 8080, "127.0.0.1");
