// deno_tutorial: a server on Deno.serve as tutorials have it. It has no limit of time, and neither has deno_http.

const port = Number(Deno.env.get("PORT") ?? 8080);
Deno.serve({ hostname: "127.0.0.1", port }, () => new Response("Hello!\n"));
