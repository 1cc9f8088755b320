// A server of the Go SDK. Argument: stdio, stateful or stateless.
package main

import (
	"context"
	"fmt"
	"log"
	"net/http"
	"os"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

type echoArgs struct {
	Text string `json:"text"`
}

type addArgs struct {
	A int `json:"a"`
	B int `json:"b"`
}

func echo(_ context.Context, _ *mcp.CallToolRequest, args echoArgs) (*mcp.CallToolResult, any, error) {
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: args.Text}}}, nil, nil
}

func add(_ context.Context, _ *mcp.CallToolRequest, args addArgs) (*mcp.CallToolResult, any, error) {
	text := fmt.Sprint(args.A + args.B)
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: text}}}, nil, nil
}

func greeting(_ context.Context, req *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
	contents := &mcp.ResourceContents{URI: req.Params.URI, MIMEType: "text/plain", Text: "hello"}
	return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{contents}}, nil
}

func review(_ context.Context, req *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
	text := &mcp.TextContent{Text: "Review " + req.Params.Arguments["code"]}
	return &mcp.GetPromptResult{Messages: []*mcp.PromptMessage{{Role: "user", Content: text}}}, nil
}

func main() {
	server := mcp.NewServer(&mcp.Implementation{Name: "interop-go", Version: "1.0.0"}, nil)
	mcp.AddTool(server, &mcp.Tool{Name: "echo", Description: "Return the text"}, echo)
	mcp.AddTool(server, &mcp.Tool{Name: "add", Description: "Add two numbers"}, add)
	server.AddResource(&mcp.Resource{
		Name: "greeting", MIMEType: "text/plain", URI: "interop://greeting",
	}, greeting)
	server.AddPrompt(&mcp.Prompt{
		Name: "review", Arguments: []*mcp.PromptArgument{{Name: "code", Required: true}},
	}, review)

	mode := os.Args[1]
	if mode == "stdio" {
		if err := server.Run(context.Background(), &mcp.StdioTransport{}); err != nil {
			log.Fatal(err)
		}
		return
	}
	handler := mcp.NewStreamableHTTPHandler(
		func(*http.Request) *mcp.Server { return server },
		&mcp.StreamableHTTPOptions{Stateless: mode == "stateless"},
	)
	http.Handle("/mcp", handler)
	log.Fatal(http.ListenAndServe("127.0.0.1:"+os.Getenv("PORT"), nil))
}
